"""Encoders compared: any encoder, frozen, on a fixed set of small tasks, with intervals and with its cost.

In: names of encoders (versions, folders, hub ids, plain words) and the folders of the tasks' files. Out: results as
files of the data folder, tables, probes, and what a retraining lost elsewhere.
"""
