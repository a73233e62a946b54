/** Saves, compares and loads snapshots of the project. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { Snapshot, SnapshotDiff } from '../../../client/protocol/control/snapshots.js'
import { formatBytes, formatCount } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { useIsOutdated } from '../../live/context.js'
import { Failure } from '../../live/failure.js'
import { Query } from '../../live/query.js'
import { Button } from '../../parts/button.js'
import { Field, FormDialog } from '../../parts/dialog.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Facts, Page, Pane } from '../../parts/layout.js'
import { Empty, Gone, Skeleton, useWasShown } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'

export function SnapshotsPage() {
  const { control, project } = useSession()
  const { name } = useParams<{ name?: string }>()
  const [, go] = useLocation()
  const [isSaving, setSaving] = useState(false)
  const [isAutomatic, setAutomatic] = useState(false)
  const query = useQuery({
    queryKey: ['snapshots'],
    queryFn: async () => (await control.snapshots.list({ project: project.id })).snapshots,
  })
  const { data } = query
  const close = useCallback(() => go('/snapshots'), [go])
  useCommand(name === undefined ? 'svc snapshot list' : `svc snapshot load ${name}`)
  const shown = (data ?? []).filter(({ command }) => isAutomatic || command === null)
  const selected = data?.find((snapshot) => snapshot.name === name)
  const wasShown = useWasShown(name, selected !== undefined)
  return (
    <Page
      title="Snapshots"
      facts={data ? `${shown.length} saved` : ''}
      actions={
        <>
          <label className="check">
            <input type="checkbox" checked={isAutomatic} onChange={({ target }) => setAutomatic(target.checked)} /> show
            automatic snapshots
          </label>
          <Button look="main" data-key="new" onClick={() => setSaving(true)}>
            Save a snapshot
          </Button>
        </>
      }
      pane={
        selected ? (
          <SnapshotPane key={selected.name} snapshot={selected} onClose={close} />
        ) : data && name !== undefined ? (
          <Pane title={<span className="mono">{name}</span>} onClose={close}>
            <Gone what="snapshot" wasShown={wasShown} back="All snapshots" onBack={close} />
          </Pane>
        ) : undefined
      }
    >
      <Query query={query}>
        {() =>
          shown.length === 0 ? (
            <Empty title="No snapshots yet" command="svc snapshot save before-the-demo">
              <p>A snapshot contains documents, users, sessions, files, provider accounts and settings.</p>
            </Empty>
          ) : (
            <Grid
              label="Snapshots"
              columns={chooseColumns(shown)}
              count={shown.length}
              rowAt={(index) => shown[index]}
              getId={(snapshot) => snapshot.name}
              selected={name}
              onOpen={(snapshot) => go(`/snapshots/${encodeURIComponent(snapshot.name)}`)}
            />
          )
        }
      </Query>
      {isSaving ? <SaveSnapshot onClose={() => setSaving(false)} /> : null}
    </Page>
  )
}

/** Leaves out optional columns without values. */
function chooseColumns(snapshots: readonly Snapshot[]): readonly Column<Snapshot>[] {
  const isEmpty = {
    before: snapshots.every(({ command }) => !command),
    branch: snapshots.every(({ branch }) => !branch),
  }
  return columns.filter(({ name }) => !isEmpty[name as keyof typeof isEmpty])
}

const columns: readonly Column<Snapshot>[] = [
  {
    name: 'name',
    head: 'name',
    width: 'minmax(160px, 1fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ name }) => <span className="mono">{name}</span>,
  },
  {
    name: 'before',
    head: 'before',
    width: 'minmax(120px, 1fr)',
    narrowWidth: null,
    cell: ({ command }) => <span className="mono dim">{command ?? ''}</span>,
  },
  {
    name: 'branch',
    head: 'branch',
    width: '130px',
    narrowWidth: null,
    cell: ({ branch }) => <span className="mono dim">{branch ?? ''}</span>,
  },
  {
    name: 'documents',
    head: 'documents',
    width: '110px',
    narrowWidth: null,
    isNumber: true,
    cell: ({ documents }) => formatCount(documents),
  },
  {
    name: 'size',
    head: 'size',
    width: '100px',
    narrowWidth: '84px',
    isNumber: true,
    cell: ({ bytes, fileBytes }) => formatBytes(bytes + fileBytes),
  },
  {
    name: 'saved',
    head: 'saved',
    width: '110px',
    narrowWidth: '92px',
    cell: ({ madeAt }) => <Time at={madeAt} />,
  },
]

function SaveSnapshot({ onClose }: { onClose: () => void }) {
  const { control, project } = useSession()
  const { notify } = useUndo()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: (form: FormData) => {
      const name = String(form.get('name')).trim()
      return control.snapshots.save({
        project: project.id,
        ...(name === '' ? {} : { name }),
        replace: form.get('replace') === 'on',
      })
    },
    async onSuccess({ name }) {
      await queries.invalidateQueries({ queryKey: ['snapshots'] })
      notify({ text: `Saved ${name}` })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Save a snapshot"
      action="Save"
      isBusy={save.isPending}
      failure={save.error ? <Failure error={save.error} /> : null}
      onClose={onClose}
      onSubmit={(form) => save.mutate(form)}
    >
      <Field label="Name" hint="Leave it empty to use the time.">
        <input className="input mono" name="name" autoComplete="off" />
      </Field>
      <label className="field row">
        <input type="checkbox" name="replace" /> Replace a snapshot of the same name
      </label>
    </FormDialog>
  )
}

/** Events that make a comparison outdated. Comparing reads the whole snapshot, so it is not repeated automatically. */
const compared = ['document', 'collection', 'user', 'file'] as const

function SnapshotPane({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const { control, project } = useSession()
  const { doUndoably, confirm } = useUndo()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const { name } = snapshot
  const target = { project: project.id, snapshot: name }
  const [isOutdated, beginReading] = useIsOutdated(compared)
  const diff = useQuery({
    queryKey: ['snapshots', 'diff', name],
    queryFn: () => {
      beginReading()
      return control.snapshots.diff(target)
    },
  })
  const load = () =>
    run(async () => {
      const of = { project: project.id, keeping: name }
      const work = () => control.snapshots.load(target)
      if (await doUndoably(`Loaded ${name}`, `svc snapshot load ${name}`, work, of)) await queries.invalidateQueries()
    })
  const remove = () =>
    run(async () => {
      if (!(await confirm(`Delete ${name}?`, 'You cannot undo this.', 'Delete'))) return
      await control.snapshots.remove(target)
      await queries.invalidateQueries({ queryKey: ['snapshots'] })
      onClose()
    })
  return (
    <Pane
      title={<span className="mono">{name}</span>}
      facts={<Time at={snapshot.madeAt} />}
      onClose={onClose}
      foot={
        <>
          <Button disabled={isBusy} onClick={remove}>
            Delete
          </Button>
          <span className="grow" />
          <Button look="main" disabled={isBusy} onClick={load}>
            Load
          </Button>
        </>
      }
    >
      <Facts
        rows={[
          ['documents', formatCount(snapshot.documents)],
          ['collections', formatCount(snapshot.collections)],
          ['users', formatCount(snapshot.users)],
          ['files', `${formatCount(snapshot.files)} · ${formatBytes(snapshot.fileBytes)}`],
          ['commit', snapshot.commit ?? '—'],
          ...(snapshot.branch ? [['branch', snapshot.branch] as const] : []),
          ...(snapshot.command ? [['before', snapshot.command] as const] : []),
        ]}
      />
      <h3 className="section">Changed since</h3>
      <Query
        query={diff}
        gone={{ what: 'snapshot', wasShown: true, back: 'All snapshots', onBack: onClose }}
        loading={<Skeleton rows={3} />}
      >
        {(data) => <Changes diff={data} />}
      </Query>
      {diff.data && isOutdated ? (
        <p className="padded warn" role="status">
          Data has changed since this was read.{' '}
          <button type="button" className="link" onClick={() => void diff.refetch()}>
            Refresh
          </button>
        </p>
      ) : null}
    </Pane>
  )
}

function Changes({ diff }: { diff: SnapshotDiff }) {
  if (diff.isSame) return <p className="padded dim">No differences.</p>
  const rows = [
    ...diff.documents.map(({ collection, ...counts }) => [collection, counts] as const),
    ...(['collections', 'users', 'files', 'accounts'] as const).map((what) => [what, diff[what]] as const),
  ].filter(([, { added, removed, changed }]) => added + removed + changed > 0)
  return (
    <>
      <ul className="changes mono">
        {rows.map(([what, { added, removed, changed }]) => (
          <li key={what}>
            <span className="grow">{what}</span>
            {added > 0 ? <span className="good">+{added}</span> : null}
            {changed > 0 ? <span className="warn">~{changed}</span> : null}
            {removed > 0 ? <span className="bad">−{removed}</span> : null}
          </li>
        ))}
      </ul>
      {diff.settings.length > 0 ? <p className="padded dim">Settings: {diff.settings.join(', ')}</p> : null}
    </>
  )
}
