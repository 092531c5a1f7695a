"""How texts write names: tokens and sentences, short forms and what they stand for, symbols whole.

In: texts. Out: spans and names.
"""
