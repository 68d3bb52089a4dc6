-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest 7e131159.
-- Do not edit: run `codelake compile`.
with

symtable_symbols as (

    select * from {{ ref('symtable_symbols') }}

),

captures as (

    select
        'CAPTURES' as edge_kind,
        if(
            scope_kind in ('type_parameters', 'type_alias', 'type_variable'),
            scope_id,
            scope_node_id
        ) as src_node_id,
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
    where
        symbol_class = 'free'
        and name not in ('__class__', '__classdict__')
        and binding_id is not null

)

select * from captures
