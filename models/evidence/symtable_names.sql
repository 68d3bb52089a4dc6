-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest 4b68bd55.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

symtable_names_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        symtable_scopes.scope_id as scope_ids,
        symtable_names
    from evidence

),

symtable_names_seen as (

    select
        repo,
        path,
        file_id,
        if(
            entry.node_ordinal = 0,
            def_ids[entry.node_def_no],
            xxhash64(def_ids[entry.node_def_no], entry.node_ordinal)
        ) as node_id,
        entry.name,
        entry.symbol,
        scope_ids[entry.scope_no] as scope_id,
        entry.context,
        entry.resolution,
        scope_ids[entry.binding_scope_no] as binding_scope_id,
        case
            when entry.binding_scope_no is not null
                then xxhash64(scope_ids[entry.binding_scope_no], entry.symbol)
        end as binding_id,
        entry.is_evaluated
    from symtable_names_of_files
        lateral view explode(symtable_names) symtable_names_exploded as entry

)

select * from symtable_names_seen
