import { selectUsersById } from '../../store/accounts/users.js'
import type { Backend } from '../context.js'
import type { KeptRequest } from './request-log.js'

/** Reads the current emails of the users who sent requests. */
export async function readEmails(
  { db }: Backend,
  requests: readonly KeptRequest[],
): Promise<ReadonlyMap<string, string>> {
  const byProject = new Map<string, Set<string>>()
  for (const { project, caller } of requests) {
    if (project === null || !caller?.user) continue
    byProject.set(project, (byProject.get(project) ?? new Set()).add(caller.user.id))
  }
  const users = await Promise.all([...byProject].map(([project, ids]) => selectUsersById(db, project, [...ids])))
  return new Map(users.flat().map(({ id, email }) => [id, email]))
}
