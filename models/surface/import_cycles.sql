-- Generated from python_hooks/codelake/semantic/catalog/surface_modules.py, digest 1eaeefbe.
-- Do not edit: run `codelake compile`.
with

import_graph as (

    select * from {{ ref('import_graph') }}

),

imports_of_first as (

    select
        importer as first_module,
        imported_name as next_module
    from import_graph
    where not is_outside and importer != imported_name

),

imports_back as (

    select
        importer as next_module,
        imported_name as back_module
    from import_graph
    where not is_outside and importer != imported_name

),

pairs as (

    select
        imports_of_first.first_module,
        imports_of_first.next_module,
        imports_back.back_module
    from imports_of_first
    inner join imports_back
        on imports_of_first.next_module = imports_back.next_module

),

cycles_of_two as (

    select
        first_module,
        next_module,
        next_module as last_module
    from pairs
    where back_module = first_module and first_module < next_module

),

imports_of_ring as (

    select
        importer as first_module,
        imported_name as next_module
    from import_graph
    where not is_outside and importer != imported_name

),

imports_of_second as (

    select
        importer as next_module,
        imported_name as last_module
    from import_graph
    where not is_outside and importer != imported_name

),

paths_of_two as (

    select
        imports_of_ring.first_module,
        imports_of_ring.next_module,
        imports_of_second.last_module
    from imports_of_ring
    inner join imports_of_second
        on imports_of_ring.next_module = imports_of_second.next_module

),

imports_of_last as (

    select
        importer as last_module,
        imported_name as back_module
    from import_graph
    where not is_outside and importer != imported_name

),

rings as (

    select
        paths_of_two.first_module,
        paths_of_two.next_module,
        paths_of_two.last_module,
        imports_of_last.back_module
    from paths_of_two
    inner join imports_of_last
        on paths_of_two.last_module = imports_of_last.last_module

),

cycles_of_three as (

    select
        first_module,
        next_module,
        last_module
    from rings
    where
        back_module = first_module
        and first_module < next_module
        and first_module < last_module
        and next_module != last_module

),

cycles as (

    select * from cycles_of_two

    union all

    select * from cycles_of_three

),

cycles_once as (

    select
        first_module,
        next_module,
        last_module
    from cycles
    group by
        first_module,
        next_module,
        last_module

)

select * from cycles_once
