-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest a6b039a7.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

symtable_scopes_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        symtable_scopes.scope_id as scope_ids,
        symtable_scopes
    from evidence

),

symtable_scopes_seen as (

    select
        repo,
        path,
        file_id,
        scope.scope_id,
        scope_no,
        scope_ids[scope.parent_scope_no] as parent_scope_id,
        if(
            scope.node_ordinal = 0,
            def_ids[scope.node_def_no],
            xxhash64(def_ids[scope.node_def_no], scope.node_ordinal)
        ) as node_id,
        scope.kind,
        scope.name,
        scope.scope_path,
        scope.line,
        scope.is_nested,
        scope.is_optimized,
        scope.has_children,
        scope.is_inlined,
        scope.is_text,
        scope.parameters,
        scope.locals,
        scope.globals,
        scope.nonlocals,
        scope.frees,
        scope.methods
    from symtable_scopes_of_files
        lateral view posexplode(symtable_scopes) symtable_scopes_exploded as scope_no, scope

)

select * from symtable_scopes_seen
