import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Path } from '../../../client/protocol/model/path.js'
import { selectCollection } from '../../store/collections.js'
import { isTimeKind, type KeptIndex, selectFieldIndexes } from '../../store/lists/indexes.js'
import type { Backend } from '../context.js'
import { requireProject } from '../projects/require-project.js'

/** An index of a collection, together with the small one for documents that don't fit into it. */
export interface CollectionIndex
  extends Pick<KeptIndex, 'bytes' | 'uses' | 'madeAt' | 'usedAt' | 'isReady' | 'reason'> {
  readonly collection: string
  readonly equal: readonly Path[]
  readonly path: Path
  readonly kind: 'asc' | 'desc' | 'text' | 'creator'
}

/** @throws {SvcError} `NOT_FOUND` if the project or collection does not exist */
export async function listIndexes(
  backend: Backend,
  projectId: string,
  name: string | undefined,
): Promise<readonly CollectionIndex[]> {
  const project = await requireProject(backend, projectId)
  if (name !== undefined && !(await selectCollection(backend.db, project.id, name))) {
    throw new SvcError('NOT_FOUND', `No collection "${name.slice(0, 80)}".`)
  }
  const kept = (await selectFieldIndexes(backend.db)).filter((index) => index.project === project.id)
  return kept.flatMap((index) => {
    const { kind, collectionName, equal = [], path, bytes, uses, madeAt, usedAt, reason } = index
    if (kind === 'odd' || collectionName === null || (name !== undefined && collectionName !== name)) return []
    const isTime = isTimeKind(kind)
    const beside = isTime ? undefined : kept.find((other) => other.kind === 'odd' && isOverflowFor(other, index))
    return [
      {
        ...{
          collection: collectionName,
          equal,
          path,
          kind: shownKinds[kind],
          bytes: bytes + (beside?.bytes ?? 0),
          uses,
          madeAt,
          usedAt,
        },
        ...{ isReady: index.isReady && beside?.isReady !== false, reason },
      },
    ]
  })
}

const shownKinds = {
  asc: 'asc',
  desc: 'desc',
  'time asc': 'asc',
  'time desc': 'desc',
  text: 'text',
  creator: 'creator',
} as const

function isOverflowFor(one: KeptIndex, other: KeptIndex): boolean {
  const over = ({ collection, path, equal = [] }: KeptIndex) => JSON.stringify([collection, equal, path])
  return over(one) === over(other)
}
