-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest d49c8289.
-- Do not edit: run `codelake compile`.
with

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

flow_reaching_definitions_seen as (

    select
        repo,
        path,
        file_id,
        src_node_id,
        dst_node_id,
        label as variable_name,
        reach_kind,
        is_loop_carried
    from flow_edges
    where kind = 'REACHES'

)

select * from flow_reaching_definitions_seen
