// The rows of the line on a terminal that has another width by now.
#ifndef REFLOW_H
#define REFLOW_H

/// Tells readline on which rows its line stands after the terminal was made `columns` wide. Most terminals wrap anew
/// the lines that were wrapped at the former width. `columns_behind` are those of a hint behind the line.
void reflow_line(int columns, int columns_behind);

#endif
