-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest 15c85a51.
-- Do not edit: run `codelake compile`.
with

symtable_symbols as (

    select * from {{ ref('symtable_symbols') }}

),

captures as (

    select
        'CAPTURES' as edge_kind,
        scope_node_id as src_node_id,
        binding_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'symtable' as origin,
        'symbol_table' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from symtable_symbols
    where symbol_class = 'free' and name != '__class__' and binding_id is not null

)

select * from captures
