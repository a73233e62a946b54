/** What the project's owner sees of open connections, and may do with them. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { selectUsersById } from '../../store/accounts/users.js'
import { selectLastNumbers } from '../../store/realtime/project-changes.js'
import type { Backend } from '../context.js'
import type { OpenConnection } from './open-connections.js'

/** The oldest first; of a project or of all. `lag` is how many changes of the project came after the position. */
export async function listConnections({ db, connections }: Backend, project: string | undefined) {
  const found = connections.all().filter((each) => project === undefined || each.identity()?.project.id === project)
  const [newest, emails] = await Promise.all([selectLastNumbers(db), readEmails(db, found)])
  return found.map((connection) => {
    const { id, transport, openedAt, address, origin, bytesSent, waitingBytes } = connection
    const { project, caller } = connection.identity() ?? {}
    const last = newest.get(project?.id ?? '') ?? 0
    return {
      ...{ id, transport, openedAt, address, origin, project: project?.id ?? null, who: connection.who() },
      email: emails.get(caller?.user?.id ?? '') ?? null,
      subscriptions: connection.subscriptions().map((each) => ({ ...each, lag: Math.max(0, last - each.position) })),
      ...{ bytesSent: bytesSent(), waitingBytes: waitingBytes() },
    }
  })
}

/** @throws {SvcError} `NOT_FOUND` */
export function closeConnection({ connections }: Pick<Backend, 'connections'>, id: string): void {
  const found = connections.all().find((connection) => connection.id === id)
  if (!found) throw new SvcError('NOT_FOUND', `No connection "${id.slice(0, 80)}" is open.`)
  found.close()
}

async function readEmails(
  db: Backend['db'],
  connections: readonly OpenConnection[],
): Promise<ReadonlyMap<string, string>> {
  const byProject = new Map<string, Set<string>>()
  for (const connection of connections) {
    const { project, caller } = connection.identity() ?? {}
    if (project && caller?.user) byProject.set(project.id, (byProject.get(project.id) ?? new Set()).add(caller.user.id))
  }
  const users = await Promise.all([...byProject].map(([project, ids]) => selectUsersById(db, project, [...ids])))
  return new Map(users.flat().map(({ id, email }) => [id, email]))
}
