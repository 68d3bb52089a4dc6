-- Generated from python_hooks/codelake/semantic/catalog/graph.py, digest 6a699291.
-- Do not edit: run `codelake compile`.
with

repo_files as (

    select * from {{ ref('repo_files') }}

),

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

flow_units as (

    select * from {{ ref('flow_units') }}

),

symtable_scopes as (

    select * from {{ ref('symtable_scopes') }}

),

symtable_symbols as (

    select * from {{ ref('symtable_symbols') }}

),

resolved_fields as (

    select * from {{ ref('resolved_fields') }}

),

comments as (

    select * from {{ ref('comments') }}

),

extract_errors as (

    select * from {{ ref('extract_errors') }}

),

symbols_seen as (

    select * from {{ ref('symbols_seen') }}

),

externals_seen as (

    select * from {{ ref('externals_seen') }}

),

file_nodes as (

    select
        file_id as node_id,
        'FILE' as node_kind,
        cast(null as string) as syntax,
        substring_index(path, '/', -1) as name,
        cast(null as string) as qualified_name,
        repo,
        path,
        file_id,
        cast(null as bigint) as owner_id,
        0 as bstart,
        cast(size_bytes as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        map(
            'sha256', file_sha256,
            'encoding', encoding,
            'newline', newline,
            'module_name', module_name,
            'is_package', cast(is_package as string),
            'is_test', cast(is_test as string),
            'is_generated', cast(is_generated as string)
        ) as attrs,
        'scan' as origin
    from repo_files

),

syntax_nodes as (

    select
        node_id,
        if(slot in ('annotation', 'returns'), 'TYPE_EXPR', kind) as node_kind,
        syntax,
        name,
        qualified_name,
        repo,
        path,
        file_id,
        nullif(owner_id, node_id) as owner_id,
        bstart,
        bend,
        line,
        end_line,
        col,
        end_col,
        ordinal,
        attrs,
        origin
    from ast_nodes

),

graph_nodes_of_flow_units as (

    select
        found.node_id,
        found.node_kind,
        cast(null as string) as syntax,
        cast(null as string) as name,
        cast(null as string) as qualified_name,
        repo,
        path,
        file_id,
        unit_id as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        cast(null as map<string, string>) as attrs,
        'flow' as origin
    from flow_units
        lateral view explode(array(
            -- entry_nodes
            struct(entry_id as node_id, 'ENTRY' as node_kind),
            -- exit_nodes
            struct(exit_id as node_id, 'EXIT' as node_kind)
        )) branches as found

),

scope_nodes as (

    select
        scope_id as node_id,
        'SCOPE' as node_kind,
        cast(null as string) as syntax,
        name,
        cast(null as string) as qualified_name,
        repo,
        path,
        file_id,
        node_id as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        map('scope_kind', kind) as attrs,
        'symtable' as origin
    from symtable_scopes

),

binding_nodes as (

    select
        xxhash64(scope_id, name) as node_id,
        'BINDING' as node_kind,
        cast(null as string) as syntax,
        name,
        cast(null as string) as qualified_name,
        repo,
        path,
        file_id,
        scope_node_id as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        map('symbol_class', symbol_class) as attrs,
        'symtable' as origin
    from symtable_symbols
    where binding_scope_id = scope_id

),

field_nodes as (

    select
        node_id,
        'FIELD' as node_kind,
        cast(null as string) as syntax,
        name,
        qualified_name,
        repo,
        path,
        file_id,
        class_id as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        cast(null as map<string, string>) as attrs,
        'resolver' as origin
    from resolved_fields

),

comment_nodes as (

    select
        xxhash64(file_id, 'comment', kind, comment_text, repeat_no) as node_id,
        'COMMENT' as node_kind,
        kind as syntax,
        cast(null as string) as name,
        cast(null as string) as qualified_name,
        repo,
        path,
        file_id,
        cast(null as bigint) as owner_id,
        bstart,
        bend,
        line,
        line as end_line,
        col,
        end_col,
        cast(null as int) as ordinal,
        map('text', comment_text) as attrs,
        'tokens' as origin
    from comments

),

diagnostic_nodes as (

    select
        xxhash64(
            file_id,
            'diagnostic',
            extractor,
            error_type,
            message,
            coalesce(bstart, -1)
        ) as node_id,
        'DIAGNOSTIC' as node_kind,
        error_type as syntax,
        cast(null as string) as name,
        cast(null as string) as qualified_name,
        repo,
        path,
        file_id,
        cast(null as bigint) as owner_id,
        bstart,
        bend,
        line,
        cast(null as int) as end_line,
        col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        map('message', message) as attrs,
        extractor as origin
    from extract_errors

),

symbol_nodes as (

    select
        node_id,
        'SCIP_SYMBOL' as node_kind,
        cast(null as string) as syntax,
        scip_symbol as name,
        cast(null as string) as qualified_name,
        '' as repo,
        '' as path,
        cast(null as bigint) as file_id,
        cast(null as bigint) as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        cast(null as map<string, string>) as attrs,
        'scip' as origin
    from symbols_seen

),

repositories as (

    select
        repository_id,
        repo
    from repo_files
    group by
        repository_id,
        repo

),

repository_nodes as (

    select
        repository_id as node_id,
        'REPOSITORY' as node_kind,
        cast(null as string) as syntax,
        repo as name,
        cast(null as string) as qualified_name,
        repo,
        '' as path,
        cast(null as bigint) as file_id,
        cast(null as bigint) as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        cast(null as map<string, string>) as attrs,
        'scan' as origin
    from repositories

),

externals_of_lake as (

    select
        node_id,
        outside_name
    from externals_seen
    group by
        node_id,
        outside_name

),

external_nodes as (

    select
        node_id,
        'EXTERNAL' as node_kind,
        cast(null as string) as syntax,
        substring_index(outside_name, '.', -1) as name,
        outside_name as qualified_name,
        '' as repo,
        '' as path,
        cast(null as bigint) as file_id,
        cast(null as bigint) as owner_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        cast(null as int) as line,
        cast(null as int) as end_line,
        cast(null as int) as col,
        cast(null as int) as end_col,
        cast(null as int) as ordinal,
        cast(null as map<string, string>) as attrs,
        'resolver' as origin
    from externals_of_lake

),

graph_nodes as (

    select * from file_nodes

    union all

    select * from syntax_nodes

    union all

    select * from graph_nodes_of_flow_units

    union all

    select * from scope_nodes

    union all

    select * from binding_nodes

    union all

    select * from field_nodes

    union all

    select * from comment_nodes

    union all

    select * from diagnostic_nodes

    union all

    select * from symbol_nodes

    union all

    select * from repository_nodes

    union all

    select * from external_nodes

)

select * from graph_nodes
