-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 7e282105.
-- Do not edit: run `codelake compile`.
with

symbol_occurrences as (

    select * from {{ ref('symbol_occurrences') }}

),

symbol_references as (

    select
        'REFERENCES_SYMBOL' as edge_kind,
        node_id as src_node_id,
        symbol_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        'scip' as origin,
        'scip_index' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from symbol_occurrences
    where not is_definition

)

select * from symbol_references
