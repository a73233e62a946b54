import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { selectProject } from '../../store/projects.js'
import type { Backend } from '../context.js'

/** @throws {SvcError} `NOT_FOUND` */
export async function requireProject({ db }: Backend, id: string): Promise<Project> {
  const project = await selectProject(db, id)
  if (project) return project
  throw unknownProject(id)
}

export function unknownProject(id: string): SvcError {
  return new SvcError('NOT_FOUND', `No project "${id.slice(0, 80)}".`)
}
