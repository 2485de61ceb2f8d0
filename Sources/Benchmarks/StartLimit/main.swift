// What it costs to start a Swift program that does nothing else than print a word.
print("started")
