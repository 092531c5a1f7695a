"""Names of genes and cells: their tab of Import, and the labels proposed in Review."""
