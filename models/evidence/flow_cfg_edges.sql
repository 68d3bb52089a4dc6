-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest 850e3ce4.
-- Do not edit: run `codelake compile`.
with

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

flow_cfg_edges_seen as (

    select
        repo,
        path,
        file_id,
        src_node_id,
        dst_node_id,
        nullif(label, '') as branch
    from flow_edges
    where kind = 'CFG'

)

select * from flow_cfg_edges_seen
