"""The ground: the data folder, who is acting and what they may, what is chosen for the project, notes and the log.

In: the environment, an actor. Out: `home.read` and `home.write`, the only ways to the database; `acting.demand`;
`notes.note`; `logs.event`; `stored_settings.settings_now`.
"""
