-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest 75f2736e.
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
        ast_defs.def_id as def_ids,
        symtable_scopes.scope_id as scope_ids,
        symtable_scopes.kind as scope_kinds,
        symtable_scopes.node_def_no as scope_def_nos,
        symtable_scopes.node_ordinal as scope_ordinals,
        symtable_symbols
    from evidence

),

symtable_symbols_seen as (

    select
        repo,
        path,
        file_id,
        scope_ids[entry.scope_no] as scope_id,
        scope_kinds[entry.scope_no] as scope_kind,
        if(
            scope_ordinals[entry.scope_no] = 0,
            def_ids[scope_def_nos[entry.scope_no]],
            xxhash64(def_ids[scope_def_nos[entry.scope_no]], scope_ordinals[entry.scope_no])
        ) as scope_node_id,
        case
            when entry.binding_scope_no is not null
                then xxhash64(scope_ids[entry.binding_scope_no], entry.name)
        end as binding_id,
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
