-- Generated from python_hooks/codelake/semantic/catalog/repositories.py, digest 6c69805d.
-- Do not edit: run `codelake compile`.
with

evidence_repositories as (

    select * from {{ ref('evidence_repositories') }}

),

projects_of_evidence_repositories as (

    select
        repo,
        repository_id,
        projects
    from evidence_repositories

),

python_projects_seen as (

    select
        repo,
        repository_id,
        project.folder,
        project.is_project,
        project.name,
        project.version,
        project.requires_python,
        project.lowest_python,
        project.dependencies.requirement as dependencies,
        project.dependencies.name as dependency_names,
        project.dependencies.group as dependency_groups,
        project.packages,
        project.roots.folder as roots,
        project.roots.prefix as root_prefixes,
        project.undetermined,
        project.problems
    from projects_of_evidence_repositories
        lateral view explode(projects) projects_exploded as project

)

select * from python_projects_seen
