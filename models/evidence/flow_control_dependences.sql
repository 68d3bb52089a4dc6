-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest bb481bc3.
-- Do not edit: run `codelake compile`.
with

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

flow_control_dependences_seen as (

    select
        repo,
        path,
        file_id,
        src_node_id,
        dst_node_id,
        nullif(label, '') as branch
    from flow_edges
    where kind = 'CONTROLS'

)

select * from flow_control_dependences_seen
