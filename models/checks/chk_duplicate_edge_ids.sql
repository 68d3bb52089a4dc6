-- Generated from python_hooks/codelake/semantic/catalog/checks.py, digest 6e289544.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('cpg_nodes') }}
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

duplicates as (

    select
        edge_id,
        count(*) as copies
    from cpg_edges
    group by edge_id
    having copies > 1

)

select * from duplicates
