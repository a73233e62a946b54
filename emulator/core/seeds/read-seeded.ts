import { JsonText } from '../../../client/protocol/model/json.js'
import { selectSeededFiles, selectSeededUsers } from '../../store/seeds.js'
import type { Context } from '../context.js'
import { fileUrl } from '../files/file-names.js'

/** Reads users with their login data, and files with their owners. Only the project's owner may export them. */
export async function readSeeded({ backend, project }: Pick<Context, 'backend' | 'project'>) {
  const [users, files] = await Promise.all([
    selectSeededUsers(backend.db, project.id),
    selectSeededFiles(backend.db, project.id),
  ])
  return {
    users: users.map(({ data, ...user }) => ({ ...user, data: new JsonText(data) })),
    files: files.map(({ id, name, path, owner }) => ({ id, name, path, owner, url: fileUrl(backend, { id, name }) })),
  }
}
