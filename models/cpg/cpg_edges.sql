-- Generated from python_hooks/codelake/semantic/catalog/graph.py, digest 24ccfa62.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

repo_files as (

    select * from {{ ref('repo_files') }}

),

extract_errors as (

    select * from {{ ref('extract_errors') }}

),

flow_edges as (

    select * from {{ ref('flow_edges') }}

),

symtable_names as (

    select * from {{ ref('symtable_names') }}

),

symtable_symbols as (

    select * from {{ ref('symtable_symbols') }}

),

symtable_scopes as (

    select * from {{ ref('symtable_scopes') }}

),

resolved_links as (

    select * from {{ ref('resolved_links') }}

),

symbol_occurrences as (

    select * from {{ ref('symbol_occurrences') }}

),

symbol_relationships as (

    select * from {{ ref('symbol_relationships') }}

),

edge_methods as (

    select * from {{ ref('edge_methods') }}

),

relations_of_ast_nodes as (

    select
        found.edge_kind,
        found.src_node_id,
        found.dst_node_id,
        found.label,
        found.ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        'ast' as origin,
        'syntax' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from ast_nodes
        lateral view explode(array(
            -- syntax_tree
            case
                when parent_id is not null
                    then struct(
                        'AST' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        coalesce(slot, '') as label,
                        idx as ordinal
                    )
            end,
            -- modules_in_files
            case
                when kind = 'MODULE'
                    then struct(
                        'CONTAINS' as edge_kind,
                        file_id as src_node_id,
                        node_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- definitions_in_owners
            case
                when kind in ('CLASS', 'FUNCTION', 'LAMBDA', 'COMPREHENSION')
                    then struct(
                        'CONTAINS' as edge_kind,
                        owner_id as src_node_id,
                        node_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- arguments
            case
                when
                    parent_syntax = 'Call'
                    and slot in ('args', 'keywords')
                    and parent_id is not null
                    then struct(
                        'ARGUMENT' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        coalesce(keyword, '') as label,
                        idx as ordinal
                    )
            end,
            -- receivers
            case
                when call_id is not null
                    then struct(
                        'RECEIVER' as edge_kind,
                        call_id as src_node_id,
                        node_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- conditions
            case
                when
                    (
                        slot in ('ifs', 'guard')
                        or slot = 'test' and parent_syntax in ('If', 'While', 'IfExp', 'Assert')
                    )
                    and parent_id is not null
                    and slot is not null
                    then struct(
                        'CONDITION' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        slot as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- decorations
            case
                when kind = 'DECORATOR' and parent_id is not null
                    then struct(
                        'DECORATES' as edge_kind,
                        node_id as src_node_id,
                        parent_id as dst_node_id,
                        '' as label,
                        idx as ordinal
                    )
            end,
            -- documentation
            case
                when kind = 'DOCSTRING'
                    then struct(
                        'DOCUMENTS' as edge_kind,
                        node_id as src_node_id,
                        definition_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- annotations
            case
                when slot in ('annotation', 'returns') and parent_id is not null
                    then struct(
                        'ANNOTATED' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        coalesce(slot, '') as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- returns
            case
                when (parent_syntax = 'Return' or parent_syntax = 'Lambda' and slot = 'body')
                    then struct(
                        'RETURNS' as edge_kind,
                        node_id as src_node_id,
                        if(kind = 'LAMBDA', owner_id, definition_id) as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- yields
            case
                when parent_syntax in ('Yield', 'YieldFrom')
                    then struct(
                        'YIELDS' as edge_kind,
                        node_id as src_node_id,
                        if(kind = 'LAMBDA', owner_id, definition_id) as dst_node_id,
                        if(parent_syntax = 'YieldFrom', 'from', '') as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- raises
            case
                when parent_syntax = 'Raise' and slot = 'exc'
                    then struct(
                        'RAISES' as edge_kind,
                        node_id as src_node_id,
                        if(kind = 'LAMBDA', owner_id, definition_id) as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end
        )) branches as found
    where found is not null

),

files_in_repositories as (

    select
        'CONTAINS' as edge_kind,
        repository_id as src_node_id,
        file_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        0 as bstart,
        cast(size_bytes as int) as bend,
        'scan' as origin,
        'scan' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from repo_files

),

diagnostics as (

    select
        'HAS_DIAGNOSTIC' as edge_kind,
        file_id as src_node_id,
        xxhash64(
            file_id,
            'diagnostic',
            extractor,
            error_type,
            message,
            coalesce(bstart, -1)
        ) as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        extractor as origin,
        'syntax' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from extract_errors

),

relations_of_flow_edges as (

    select
        found.edge_kind,
        src_node_id,
        dst_node_id,
        label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'flow' as origin,
        found.method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from flow_edges
        lateral view explode(array(
            -- control_flow
            case
                when kind = 'CFG' then struct('CFG' as edge_kind, 'evaluation_order' as method)
            end,
            -- control_dependence
            case
                when kind = 'CONTROLS'
                    then struct('CONTROLS' as edge_kind, 'control_dependence' as method)
            end,
            -- dominators
            case
                when kind = 'DOMINATES'
                    then struct('DOMINATES' as edge_kind, 'evaluation_order' as method)
            end,
            -- post_dominators
            case
                when kind = 'POST_DOMINATES'
                    then struct('POST_DOMINATES' as edge_kind, 'evaluation_order' as method)
            end,
            -- names_reached
            case
                when kind = 'REACHES' and reach_kind in ('name', 'closure')
                    then struct('REACHES' as edge_kind, 'reaching_definition' as method)
            end,
            -- places_reached
            case
                when kind = 'REACHES' and reach_kind not in ('name', 'closure')
                    then struct('REACHES' as edge_kind, 'reaching_place' as method)
            end
        )) branches as found
    where found is not null

),

relations_of_symtable_names as (

    select
        found.edge_kind,
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
        lateral view explode(array(
            -- bindings
            case
                when
                    context in ('store', 'parameter', 'import', 'definition')
                    and symbol not in ('__class__', '__classdict__')
                    and binding_id is not null
                    then struct('BINDS' as edge_kind)
            end,
            -- references
            case
                when
                    context in ('load', 'del')
                    and symbol not in ('__class__', '__classdict__')
                    and binding_id is not null
                    then struct('REFERS_TO' as edge_kind)
            end
        )) branches as found
    where found is not null

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

),

scope_nesting as (

    select
        'SCOPE_PARENT' as edge_kind,
        scope_id as src_node_id,
        parent_scope_id as dst_node_id,
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
    from symtable_scopes
    where parent_scope_id is not null and parent_scope_id is not null

),

resolved as (

    select
        kind as edge_kind,
        src_node_id,
        dst_node_id,
        label,
        ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'resolver' as origin,
        method,
        rank,
        ambiguity_group_id
    from resolved_links

),

relations_of_symbol_occurrences as (

    select
        found.edge_kind,
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
        lateral view explode(array(
            -- symbol_definitions
            case when is_definition then struct('DEFINES_SYMBOL' as edge_kind) end,
            -- symbol_references
            case when not is_definition then struct('REFERENCES_SYMBOL' as edge_kind) end
        )) branches as found
    where found is not null

),

symbol_implementations as (

    select
        'IMPLEMENTS_SYMBOL' as edge_kind,
        symbol_id as src_node_id,
        related_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'scip' as origin,
        'scip_index' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from symbol_relationships

),

relations as (

    select * from relations_of_ast_nodes

    union all

    select * from files_in_repositories

    union all

    select * from diagnostics

    union all

    select * from relations_of_flow_edges

    union all

    select * from relations_of_symtable_names

    union all

    select * from captures

    union all

    select * from scope_nesting

    union all

    select * from resolved

    union all

    select * from relations_of_symbol_occurrences

    union all

    select * from symbol_implementations

),

measured_relations as (

    select
        relations.edge_kind,
        relations.src_node_id,
        relations.dst_node_id,
        relations.label,
        relations.ordinal,
        relations.repo,
        relations.path,
        relations.file_id,
        relations.bstart,
        relations.bend,
        relations.origin,
        relations.method,
        relations.rank,
        relations.ambiguity_group_id,
        edge_methods.precision
    from relations
    left join edge_methods
        on relations.method = edge_methods.method

),

graph_edges as (

    select
        xxhash64(edge_kind, src_node_id, dst_node_id, label) as edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        label,
        ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        origin,
        method,
        coalesce(precision, cast(-1 as double)) as confidence,
        precision / rank as score,
        rank,
        ambiguity_group_id,
        cast(null as map<string, string>) as attrs
    from measured_relations

)

select * from graph_edges
