import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { formatBytes } from '../../../../client/protocol/model/figures.js'
import { useAction } from '../../../frame/undo.js'
import { RemoveButton } from '../../../parts/button.js'
import { fileName } from '../../../parts/columns.js'
import { DropTarget } from '../../../parts/layout.js'
import { useSession } from '../../../session/context.js'
import type { ControlProps } from './control.js'

const picture = /\.(png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i

/** Holds the address of a file. Uploads what is dropped or chosen. */
export function FileControl({ id, label, value, onChange, isRequired, placeholder }: ControlProps) {
  const { client, hereUrl } = useSession()
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, act] = useAction()
  const [sent, setSent] = useState('')
  const url = typeof value === 'string' && value !== '' ? value : undefined
  const upload = (file: File | undefined) =>
    file &&
    act(async () => {
      setSent(file.name)
      onChange((await client.files.upload(file)).url)
    })
  const choose = url === undefined ? 'Choose a file' : 'Replace'
  return (
    <DropTarget onFiles={([file]) => upload(file)}>
      <div className="file-field">
        {url !== undefined && picture.test(url) ? <img src={hereUrl(url)} alt="" loading="lazy" /> : null}
        <span className="grow cut">
          {url === undefined ? (
            <span className="ph">{isBusy ? `Uploading ${sent}` : (placeholder ?? 'Drop a file here')}</span>
          ) : (
            <a href={hereUrl(url)} target="_blank" rel="noreferrer">
              {fileName(url)}
            </a>
          )}
          {url === undefined ? null : <FileFacts url={hereUrl(url)} />}
        </span>
        <button
          id={id}
          type="button"
          className="link"
          aria-label={`${choose}, ${label}`}
          disabled={isBusy}
          onClick={() => input.current?.click()}
        >
          {choose}
        </button>
        {url === undefined || isRequired ? null : (
          <RemoveButton label={`Clear ${label}`} onClick={() => onChange(undefined)} />
        )}
        <input
          ref={input}
          type="file"
          hidden
          onChange={({ target }) => {
            upload(target.files?.[0])
            target.value = ''
          }}
        />
      </div>
    </DropTarget>
  )
}

/** The size and type of a file, as its headers tell. */
function FileFacts({ url }: { url: string }) {
  const { data } = useQuery({
    queryKey: ['file facts', url],
    queryFn: async () => {
      const { ok, headers } = await fetch(url, { method: 'HEAD' })
      const [, type] = /\/([\w-]+)/.exec(headers.get('content-type') ?? '') ?? []
      return ok
        ? [formatBytes(Number(headers.get('content-length'))), type?.toUpperCase()].filter(Boolean).join(', ')
        : 'not found'
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return <small className="was">{data ?? ''}</small>
}
