"""Several projects on one server: their file, an app each in a process of its own, and who is told of which.

In: the file of projects, the command that starts an app. Out: running apps, tables of projects and of people, and a
proxy's settings. Each data folder gets the other projects that its people may go on to.
"""
