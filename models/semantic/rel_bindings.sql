-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest d71503ce.
-- Do not edit: run `codelake compile`.
with

symtable_names as (

    select * from {{ ref('symtable_names') }}

),

bindings as (

    select
        'BINDS' as edge_kind,
        node_id as src_node_id,
        binding_id as dst_node_id,
        symbol as label,
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
    from symtable_names
    where
        context in ('store', 'parameter', 'import', 'definition')
        and symbol not in ('__class__', '__classdict__')
        and binding_id is not null

)

select * from bindings
