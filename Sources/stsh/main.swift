print("stsh")
