-- Generated from python_hooks/codelake/semantic/catalog/flow.py, digest a2a3d62e.
-- Do not edit: run `codelake compile`.
with

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

dominators as (

    select
        'DOMINATES' as edge_kind,
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
    where kind = 'DOMINATES'

)

select * from dominators
