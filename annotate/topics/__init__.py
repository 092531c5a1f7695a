"""Topics: what a project looks for, as data. A topic's file is read and checked, stored with its hash, and turned into
the rules that the rankings take.

In: YAML texts, the shipped ones in `shipped/`. Out: `file.Topic`, `file.read_topic`, `BadTopic` with each problem's
field and reason; `project_topic.topic_now`, the one that holds.
"""
