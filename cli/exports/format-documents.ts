import type { Document } from '../../client/protocol/model/document.js'
import { exported } from '../../client/protocol/model/documents/exported.js'

export const exportFormats = ['ndjson', 'json', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface FormOptions {
  readonly columns: readonly string[] | undefined
  readonly withIds: boolean
  /** Escapes CSV cells that a spreadsheet would run as a formula. */
  readonly isSafe: boolean
}

/** Formats documents batch by batch. The separator belongs to the later batch. */
export async function formatDocuments(format: ExportFormat, { columns, withIds, isSafe }: FormOptions) {
  const pickFields = (document: Document) => exported(document, columns, withIds)
  if (format === 'ndjson') {
    return {
      write: (documents: readonly Document[]) =>
        documents.map((one) => `${JSON.stringify(pickFields(one))}\n`).join(''),
      end: () => '',
    }
  }
  if (format === 'json') {
    return {
      write: (documents: readonly Document[], isFirst: boolean) =>
        documents.map((one, at) => `${isFirst && at === 0 ? '[\n' : ',\n'}${JSON.stringify(pickFields(one))}`).join(''),
      end: (isEmpty: boolean) => (isEmpty ? '[]\n' : '\n]\n'),
    }
  }
  const { csvText } = await import('../records/csv-text.js')
  const names = withIds ? ['id', ...(columns ?? []).filter((name) => name !== 'id')] : (columns ?? [])
  return {
    write: (documents: readonly Document[], isFirst: boolean) =>
      csvText(names, documents.map(pickFields), { hasHeader: isFirst, isSafe }),
    end: (isEmpty: boolean) => (isEmpty ? csvText(names, [], { hasHeader: true, isSafe }) : ''),
  }
}
