"""What pages of several rooms show: a job as people watch it, figures, tables, downloads."""
