"""Running: machine checks, the Spark session, the dbt adapter, builds and their record.

java.py           which Java
jars.py           the Delta JARs, fetched once by their Maven coordinates
spark_home.py     the JARs of Spark, shared by all environments of one version
class_archive.py  the JVM's class-data-sharing archive
session.py        every Spark setting, and the one place that opens a session
profiles.py       profiles/profiles.yml from those settings
catalogue.py      what the session knows of a lake: schema, tables, views
adapter.py        dbt's view of that session, and what macros may ask Python
engine.py         a Spark server that stays warm between builds
scan_plan.py      what a build must read
write_plan.py     what a build must write to a table: nothing, some keys, everything
record.py         the run's id, and its row in run_manifest
build.py          one build as a call
query.py          one SQL query as a call
staleness.py      refuses generated files that are not what the compiler makes
"""
