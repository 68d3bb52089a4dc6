-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 493913fa.
-- Do not edit: run `codelake compile`.
with

symbol_occurrences as (

    select * from {{ ref('symbol_occurrences') }}

),

ast_defs as (

    select * from {{ ref('ast_defs') }}

),

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

referenced as (

    select
        repo,
        path,
        file_id,
        node_id as name_id,
        symbol_id,
        scip_symbol,
        bstart
    from symbol_occurrences
    where not is_definition

),

definitions as (

    select def_id
    from ast_defs

),

names_that_define_nothing as (

    select
        referenced.repo,
        referenced.path,
        referenced.file_id,
        referenced.name_id,
        referenced.symbol_id,
        referenced.scip_symbol,
        referenced.bstart
    from referenced
    left anti join definitions
        on referenced.name_id = definitions.def_id

),

defined as (

    select
        node_id as definition_id,
        symbol_id as defined_symbol_id
    from symbol_occurrences
    where is_definition

),

defined_functions_and_classes as (

    select
        defined.definition_id,
        defined.defined_symbol_id
    from defined
    inner join definitions
        on defined.definition_id = definitions.def_id

),

-- overloads share a symbol
names_with_definitions as (

    select
        names_that_define_nothing.repo,
        names_that_define_nothing.path,
        names_that_define_nothing.file_id,
        names_that_define_nothing.name_id,
        names_that_define_nothing.symbol_id,
        names_that_define_nothing.scip_symbol,
        names_that_define_nothing.bstart,
        defined_functions_and_classes.definition_id
    from names_that_define_nothing
    inner join defined_functions_and_classes
        on names_that_define_nothing.symbol_id = defined_functions_and_classes.defined_symbol_id

),

names_with_indexed_definitions as (

    select
        repo,
        path,
        file_id,
        name_id,
        bstart,
        scip_symbol,
        definition_id
    from names_with_definitions
    group by
        repo,
        path,
        file_id,
        name_id,
        bstart,
        scip_symbol,
        definition_id

),

definitions_found as (

    select
        edge_id,
        edge_kind,
        src_node_id,
        dst_node_id
    from cpg_edges
    where edge_kind = 'IMPORTS' or (edge_kind = 'REFERS_TO' and method = 'held_value')

),

ends_of_links as (

    select
        src_node_id as named_id,
        dst_node_id as end_id
    from definitions_found

),

calls_found as (

    select
        src_node_id as call_id,
        dst_node_id as end_id
    from cpg_edges
    where edge_kind = 'CALLS'

),

ends_of_properties as (

    select
        call_id as named_id,
        end_id
    from calls_found

),

names_that_are_called as (

    select
        src_node_id as call_id,
        dst_node_id as named_id
    from cpg_edges
    where edge_kind = 'AST' and label = 'func'

),

called_names as (

    select
        names_that_are_called.call_id,
        names_that_are_called.named_id,
        calls_found.end_id
    from names_that_are_called
    inner join calls_found
        on names_that_are_called.call_id = calls_found.call_id

),

ends_of_calls as (

    select
        named_id,
        end_id
    from called_names

),

ends_of_names as (

    select * from ends_of_links

    union all

    select * from ends_of_properties

    union all

    select * from ends_of_calls

),

resolved_definitions as (

    select
        node_id as resolved_id,
        qualified_name as resolved
    from cpg_nodes

),

names_with_resolved_definitions as (

    select
        ends_of_names.named_id,
        ends_of_names.end_id,
        resolved_definitions.resolved
    from ends_of_names
    inner join resolved_definitions
        on ends_of_names.end_id = resolved_definitions.resolved_id

),

names_with_both as (

    select
        names_with_indexed_definitions.repo,
        names_with_indexed_definitions.path,
        names_with_indexed_definitions.file_id,
        names_with_indexed_definitions.name_id,
        names_with_indexed_definitions.bstart,
        names_with_indexed_definitions.scip_symbol,
        names_with_indexed_definitions.definition_id,
        names_with_resolved_definitions.end_id,
        names_with_resolved_definitions.resolved
    from names_with_indexed_definitions
    left join names_with_resolved_definitions
        on names_with_indexed_definitions.name_id = names_with_resolved_definitions.named_id

),

names_once as (

    select
        repo,
        path,
        file_id,
        name_id,
        bstart,
        scip_symbol,
        min(resolved) as resolved_name,
        count(end_id) as ends,
        max(coalesce(end_id = definition_id, false)) as is_same
    from names_with_both
    group by
        repo,
        path,
        file_id,
        name_id,
        bstart,
        scip_symbol

),

names_compared as (

    select
        repo,
        path,
        file_id,
        name_id as node_id,
        bstart,
        scip_symbol,
        resolved_name,
        case when is_same then 'same' when ends = 0 then 'index_only' else 'other' end as agreement
    from names_once

)

select * from names_compared
