/** Lists all files of the project, also those of documents and users. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { StoredFile } from '../../../client/index.js'
import { counted, formatBytes } from '../../../client/protocol/model/figures.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { useCommand } from '../../frame/command-line.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { Query } from '../../live/query.js'
import { usePages } from '../../live/use-pages.js'
import { Button, Copy } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { DropTarget, Facts, Page, Pane } from '../../parts/layout.js'
import { Preview } from '../../parts/preview.js'
import { describeError, Empty, Gone, useWasShown } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'

interface Upload {
  readonly name: string
  readonly sent: number
  readonly total: number
  readonly failure?: string
}

export function FilesPage() {
  const { client, acting } = useSession()
  const { id } = useParams<{ id?: string }>()
  const [, go] = useLocation()
  const [folder, setFolder] = useState('')
  const query = usePages(['files', 'list', folder, acting?.user.id], (page) =>
    client.files.list({ ...page, ...(folder === '' ? {} : { path: folder }) }),
  )
  const { items: files, total, onRange } = query
  const usage = useQuery({ queryKey: ['files', 'usage'], queryFn: () => client.files.info() })
  const [uploads, upload] = useUploads(folder)
  const close = useCallback(() => go('/files'), [go])
  const selected = files.find((file) => file.id === id)
  const wasShown = useWasShown(id, selected !== undefined)
  // The file in the address may be on a page that is not loaded yet.
  useEffect(() => {
    if (id !== undefined && !selected) onRange(0, Infinity)
  }, [id, selected, onRange])
  // The file may be in another folder, so check only in the list of all files.
  const isGone =
    id !== undefined && !selected && folder === '' && query.data !== undefined && files.length >= (total ?? Infinity)
  useCommand(folder === '' ? 'svc files list' : `svc files list ${shellWord(folder)}`)
  const { bytes = 0, limitBytes = null, tier = '' } = usage.data ?? {}
  const limit = limitBytes === null ? 'unlimited' : formatBytes(limitBytes)
  const all = usage.data?.files ?? 0
  return (
    <Page
      title="Files"
      facts={usage.data ? `${counted(all, 'file')} · ${formatBytes(bytes)} of ${limit} (${tier})` : ''}
      actions={<UploadButton onFiles={upload} />}
      strip={<Folders files={files} folder={folder} onChange={setFolder} uploads={uploads} />}
      pane={
        selected ? (
          <FilePane key={selected.id} file={selected} onClose={close} />
        ) : isGone ? (
          <Pane title="…" onClose={close}>
            <Gone what="file" wasShown={wasShown} back="All files" onBack={close} />
          </Pane>
        ) : undefined
      }
    >
      <DropTarget onFiles={upload}>
        <Query query={query}>
          {() =>
            files.length === 0 ? (
              <Empty title="No files here" command="svc files upload picture.png">
                <p>Drop files here to upload them. Files of documents and users appear here too.</p>
              </Empty>
            ) : (
              <Grid
                label="Files"
                columns={columns}
                count={files.length}
                rowAt={(index) => files[index]}
                getId={(file) => file.id}
                selected={id}
                onRange={onRange}
                onOpen={(file) => go(`/files/${file.id}`)}
              />
            )
          }
        </Query>
      </DropTarget>
    </Page>
  )
}

/** Uploads files one after the other, and tracks progress. */
function useUploads(folder: string): [readonly Upload[], (files: Iterable<File>) => Promise<void>] {
  const { client, guard } = useSession()
  const queries = useQueryClient()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  async function upload(files: Iterable<File>) {
    for (const file of files) {
      const show = (changes: Partial<Upload>) =>
        setUploads((before) => [
          { name: file.name, sent: 0, total: file.size, ...changes },
          ...before.filter(({ name }) => name !== file.name),
        ])
      show({})
      try {
        const onProgress = (sent: number, total: number) => show({ sent, total })
        // `fetch` cannot report progress, so the client uploads without it. Check the emulator here instead.
        guard.doubt()
        await guard.check()
        await client.files.upload(file, { onProgress, ...(folder === '' ? {} : { path: folder }) })
        setUploads((before) => before.filter(({ name }) => name !== file.name))
      } catch (error) {
        show({ failure: describeError(error) })
      }
      await queries.invalidateQueries({ queryKey: ['files'] })
    }
  }
  return [uploads, upload]
}

function UploadButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  return (
    <label className="button main">
      Upload
      <input
        className="hidden"
        type="file"
        multiple
        data-key="new"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </label>
  )
}

interface FoldersProps {
  readonly files: readonly StoredFile[]
  readonly folder: string
  readonly onChange: (folder: string) => void
  readonly uploads: readonly Upload[]
}

function Folders({ files, folder, onChange, uploads }: FoldersProps) {
  const inside = new Set(files.map(({ path }) => path).filter((path) => path !== '' && path !== folder))
  const parents = folder === '' ? [] : folder.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))
  return (
    <div className="strip">
      <button type="button" className="link" onClick={() => onChange('')}>
        all files
      </button>
      {parents.map((path) => (
        <button key={path} type="button" className="link" onClick={() => onChange(path)}>
          / {path.split('/').at(-1)}
        </button>
      ))}
      {[...inside]
        .sort()
        .slice(0, 12)
        .map((path) => (
          <button key={path} type="button" className="chip mono" onClick={() => onChange(path)}>
            {path}
          </button>
        ))}
      <span className="grow" />
      {uploads.map(({ name, sent, total, failure }) => (
        <span key={name} className={`mono ${failure === undefined ? 'dim' : 'bad'}`} role="status">
          {name} {failure ?? `${Math.floor((sent / Math.max(1, total)) * 100)} %`}
        </span>
      ))}
    </div>
  )
}

const columns: readonly Column<StoredFile>[] = [
  {
    name: 'name',
    head: 'name',
    width: 'minmax(180px, 2fr)',
    narrowWidth: 'minmax(0, 2fr)',
    cell: ({ name }) => <bdi>{name}</bdi>,
  },
  {
    name: 'folder',
    head: 'folder',
    width: 'minmax(100px, 1fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ path }) => <span className="mono dim">{path}</span>,
  },
  {
    name: 'type',
    head: 'type',
    width: '150px',
    narrowWidth: null,
    cell: ({ mimeType }) => <span className="mono dim">{mimeType}</span>,
  },
  {
    name: 'size',
    head: 'size',
    width: '100px',
    narrowWidth: '92px',
    isNumber: true,
    cell: ({ size }) => formatBytes(size),
  },
  {
    name: 'created',
    head: 'created',
    width: '110px',
    narrowWidth: null,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

function FilePane({ file, onClose }: { file: StoredFile; onClose: () => void }) {
  const { client, hereUrl } = useSession()
  const { doUndoably } = useUndo()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const url = hereUrl(file.url)
  const remove = () =>
    run(async () => {
      const work = () => client.files.delete(file.id)
      if (!(await doUndoably(`Deleted ${file.name}`, `svc files delete ${file.id}`, work))) return
      await queries.invalidateQueries({ queryKey: ['files'] })
      onClose()
    })
  return (
    <Pane
      title={<bdi>{file.name}</bdi>}
      facts={`${file.mimeType} · ${formatBytes(file.size)}`}
      onClose={onClose}
      foot={
        <>
          <a className="button plain" href={url} target="_blank" rel="noreferrer">
            Open
          </a>
          <span className="grow" />
          <Button disabled={isBusy} onClick={remove}>
            Delete
          </Button>
        </>
      }
    >
      <div className="padded">
        <Preview url={url} name={file.name} />
      </div>
      <Facts
        rows={[
          ['address', url, <Copy key="copy" text={url} />],
          ['id', file.id, <Copy key="copy" text={file.id} />],
          [
            'folder',
            file.path === '' ? (
              <span key="top" className="dim">
                top level
              </span>
            ) : (
              file.path
            ),
          ],
          ['created', <Time key="at" at={file.createdAt} />],
        ]}
      />
    </Pane>
  )
}
