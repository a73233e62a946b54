/** Lists stored versions of a document, and compares two of them. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Fields } from '../../../../client/index.js'
import type { HistoryRecord } from '../../../../client/protocol/control/history.js'
import { Query } from '../../../live/query.js'
import { Button } from '../../../parts/button.js'
import { Differences } from '../../../parts/differences.js'
import { Empty, isMissing, Skeleton } from '../../../parts/states.js'
import { Time } from '../../../parts/time.js'
import { useSession } from '../../../session/context.js'

interface HistoryProps {
  readonly collection: string
  readonly id: string
  readonly newest: number | undefined
  readonly onRestore: (data: Fields) => void
}

type Version = HistoryRecord['versions'][number]

export function HistoryTab({ collection, id, newest, onRestore }: HistoryProps) {
  const { control, project } = useSession()
  const [picked, setPicked] = useState<readonly number[]>([])
  const target = { project: project.id, collection, document: id }
  const history = useQuery({
    queryKey: ['document', id, 'history', newest],
    queryFn: () => control.history.get({ ...target, limit: 50 }),
  })
  const { data, error } = history
  const [from, to] = [...picked].sort((one, other) => one - other)
  const comparison = useQuery({
    queryKey: ['document', id, 'compare', from, to],
    queryFn: () => control.history.compare({ ...target, from, to }),
    enabled: from !== undefined && to !== undefined,
  })
  if (isMissing(error) || data?.versions.length === 0) {
    return (
      <Empty title="No earlier versions">
        The emulator keeps all versions for an hour, and the last 100,000 changes.
      </Empty>
    )
  }
  const pick = (version: number) =>
    setPicked((before) =>
      before.includes(version) ? before.filter((each) => each !== version) : [...before, version].slice(-2),
    )
  const restore = data?.versions.find(({ version }) => version === picked[0] && picked.length === 1)
  return (
    <div className="history">
      <Query query={history} loading={<Skeleton rows={4} />}>
        {({ versions }) =>
          versions.map((version) => (
            <VersionRow
              key={`${version.version} ${version.kind}`}
              version={version}
              isPicked={picked.includes(version.version)}
              onPick={() => pick(version.version)}
            />
          ))
        }
      </Query>
      {data && picked.length === 0 ? (
        <p className="padded dim">Choose two versions to compare, or one to restore.</p>
      ) : null}
      {restore && restore.version !== newest ? (
        <div className="padded">
          <Button onClick={() => onRestore(restore.data)}>Edit from version {restore.version}</Button>
        </div>
      ) : null}
      <Query query={comparison} loading={null}>
        {({ differences }) => <Differences differences={differences} />}
      </Query>
    </div>
  )
}

function VersionRow({ version, isPicked, onPick }: { version: Version; isPicked: boolean; onPick: () => void }) {
  const { version: number, kind, at, changed } = version
  return (
    <button type="button" className="version" aria-pressed={isPicked} onClick={onPick}>
      <span className="mono">{number}</span>
      <span className={kindLooks[kind]}>{kind}</span>
      <span className="mono dim cut">{changed?.join(', ') ?? ''}</span>
      <Time at={at} />
    </button>
  )
}

const kindLooks = { created: 'good', updated: 'warn', deleted: 'bad', kept: 'dim' } as const
