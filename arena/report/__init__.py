"""report.html: one file without network, with the tables, the charts and a replay of every match."""
