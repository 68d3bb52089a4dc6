"""Running: machine checks, the Spark session, the dbt adapter, builds and their record.

java.py           which Java
jars.py           the Delta JARs, fetched once by their Maven coordinates
spark_home.py     the JARs of Spark, shared by all environments of one version
class_archive.py  the JVM's class-data-sharing archive
gateway.py        a JVM, started without Spark's launcher
session.py        every Spark setting, and the one place that opens a session
profiles.py       profiles/profiles.yml from those settings
catalogue.py      what the session knows of a lake: schema, tables, views
connection.py     dbt's connections to that session
cursor.py         cursors on it
adapter.py        dbt's view of it, and what macros may ask Python
engine.py         a Spark server that stays warm between builds
scan_plan.py      what a build must read
write_plan.py     what a build must write to a table: nothing, some keys, everything
write_policy.py   how a table is laid out: var, catalogue, table, default
clustering.py     clustered tables, which only Spark writes
spark_write.py    rows of a query into a table, by Spark
replace_rows.py   rows of some keys or all, without Spark
resolve_plan.py   what a build must resolve
resolve_alone.py  one group of repositories, resolved beside the driver
schema_policy.py  contract against log, before a write
environment.py    versions and settings, and what differs between two runs
lake_lock.py      one build at a time
record.py         the run's id, and what it notes while it goes on
events.py         what happened during a run
manifest.py       the manifest of a run, beside the lake
run_tables.py     manifests and events as Delta tables
lake_tables.py    tables, columns and constraints of a lake as tables
table_digest.py   an order-free digest of a table
digests.py        the digests of a run
compliance.py     the compliance pack of a run
changes.py        what changed in a table since a consumer last asked, by key
change_cursors.py how far each consumer has read
graph_diff.py     what differs between two graphs, by id
revisions.py      two git revisions as two graphs
replay.py         a run built again, and compared
snapshot.py       the versions that questions read
bootstrap_plan.py what a zero-row bootstrap makes
bootstrap.py      the bootstrap and its report
maintenance.py    optimize, z-order, checkpoint, vacuum
build.py          one build as a call
query.py          one SQL query as a call, by Spark
lake_reader.py    a lake as questions read it, without Spark
names.py  places.py names that people write; the nodes that they mean
questions.py      callers, callees, uses, by name
explain.py  statistics.py  flows.py   the other questions
collector.py      the garbage collector, while dbt starts
staleness.py      refuses generated files that are not what the compiler makes
"""
