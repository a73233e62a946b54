import type { Json } from '../../../../client/index.js'
import { isObject } from '../../../../client/protocol/model/json.js'
import { fileName, typeOf } from '../../../parts/columns.js'
import { Preview } from '../../../parts/preview.js'
import { Empty } from '../../../parts/states.js'
import { useSession } from '../../../session/context.js'

/** Addresses of files in a document, wherever they stand in it. */
export function filesIn(value: Json): string[] {
  if (typeof value === 'string') return typeOf(value) === 'file' ? [value] : []
  if (Array.isArray(value)) return [...new Set(value.flatMap(filesIn))]
  return isObject(value) ? [...new Set(Object.values(value).flatMap(filesIn))] : []
}

export function FilesTab({ files }: { files: readonly string[] }) {
  const { hereUrl } = useSession()
  if (files.length === 0) {
    return <Empty title="No files">A field that holds the address of an uploaded file shows it here.</Empty>
  }
  return (
    <ul className="previews">
      {files.map((url) => (
        <li key={url}>
          <Preview url={hereUrl(url)} name={fileName(url)} />
          <a href={hereUrl(url)} target="_blank" rel="noreferrer" className="mono">
            {fileName(url)}
          </a>
        </li>
      ))}
    </ul>
  )
}
