// The cost of starting a Swift program that does nothing else than print a word.
print("started")
