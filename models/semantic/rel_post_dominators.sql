-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest 5e57fdb3.
-- Do not edit: run `codelake compile`.
with

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

post_dominators as (

    select
        'POST_DOMINATES' as edge_kind,
        src_node_id,
        dst_node_id,
        label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'flow' as origin,
        'evaluation_order' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from flow_edges
    where kind = 'POST_DOMINATES'

)

select * from post_dominators
