"""What all commands share: their first words, how one is declared, options for settings, how one is run and answers.

In: the modules of commands. Out: a parser, an exit code and printed answers.
"""
