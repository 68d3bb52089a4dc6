-- Generated from python_hooks/codelake/semantic/catalog/checks.py, digest dbe37cf9.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('cpg_edges') }}
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

duplicates as (

    select
        node_id,
        count(*) as copies
    from cpg_nodes
    group by node_id
    having copies > 1

)

select * from duplicates
