-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest ff8a0c1c.
-- Do not edit: run `codelake compile`.
with

symbol_relationships as (

    select * from {{ ref('symbol_relationships') }}

),

symbol_implementations as (

    select
        'IMPLEMENTS_SYMBOL' as edge_kind,
        symbol_id as src_node_id,
        related_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'scip' as origin,
        'scip_index' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from symbol_relationships

)

select * from symbol_implementations
