-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest 181b8bba.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

symtable_symbols_of_files as (

    select
        repo,
        path,
        file_id,
        symtable_scopes.scope_id as scope_ids,
        symtable_symbols
    from evidence

),

symtable_symbols_seen as (

    select
        repo,
        path,
        file_id,
        scope_ids[entry.scope_no] as scope_id,
        entry.name,
        entry.resolution as symbol_class,
        scope_ids[entry.binding_scope_no] as binding_scope_id,
        entry.is_referenced,
        entry.is_imported,
        entry.is_parameter,
        entry.is_type_parameter,
        entry.is_global,
        entry.is_nonlocal,
        entry.is_declared_global,
        entry.is_local,
        entry.is_annotated,
        entry.is_free,
        entry.is_assigned,
        entry.is_free_class,
        entry.is_comp_iter,
        entry.is_comp_cell,
        entry.is_namespace,
        entry.is_inlined,
        entry.namespaces
    from symtable_symbols_of_files
        lateral view explode(symtable_symbols) symtable_symbols_exploded as entry

)

select * from symtable_symbols_seen
