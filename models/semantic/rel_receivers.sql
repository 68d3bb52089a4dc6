-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest c71418ee.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

receivers as (

    select
        'RECEIVER' as edge_kind,
        call_id as src_node_id,
        node_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        'ast' as origin,
        'syntax' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from ast_nodes
    where call_id is not null

)

select * from receivers
