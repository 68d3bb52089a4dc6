-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 418ffc2b.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

-- the first error of whoever decodes or parses
syntax_of_files as (

    select
        repo,
        path,
        file_id,
        module_name,
        python_version,
        parser,
        cast(size(ast_nodes) as bigint) as node_count,
        cast(size(ast_defs) as bigint) as definition_count,
        cast(size(ast_imports) as bigint) as import_count,
        get(filter(errors, error -> error.extractor in ('ast', 'decode')), 0) as error
    from evidence

),

parsed_files as (

    select
        repo,
        path,
        file_id,
        module_name,
        python_version,
        parser,
        coalesce(parser = 'ast', false) as is_whole,
        node_count,
        definition_count,
        import_count,
        error.error_type,
        error.message,
        error.line,
        error.col,
        error.bstart,
        error.bend
    from syntax_of_files

)

select * from parsed_files
