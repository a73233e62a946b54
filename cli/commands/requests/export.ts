import * as Flags from '@oclif/core/flags'
import type { RequestRecord } from '../../../client/protocol/control/requests.js'
import { formatHar } from '../../../client/snippets/har.js'
import { ControlCommand } from '../../base/control-command.js'
import { CliFailure, exits, undefinedIfMissing } from '../../base/failure.js'
import { fileNamed, requirePlace } from '../../files/places.js'
import { replacePrivateFile } from '../../files/private-file.js'
import { filterFlags, readFilter } from '../../requests/filter-flags.js'
import { counted } from '../../terminal/print.js'
import { prose } from '../../terminal/prose.js'
import { jsonText } from '../../terminal/text-width.js'

export default class RequestsExport extends ControlCommand {
  static override summary = 'Export recorded requests as an HTTP archive (HAR).'
  static override description = prose(`Writes HAR 1.2, oldest first, for browsers and other tools. Secrets are masked.`)
  static override examples = [
    '<%= config.bin %> requests export --out requests.har',
    '<%= config.bin %> requests export --status 5xx --out failures.har',
  ]
  static override flags = {
    ...filterFlags,
    out: Flags.string({ char: 'o', description: 'file to write [default: -, which is stdout]', helpValue: 'file' }),
    limit: Flags.integer({
      min: 1,
      max: 1_000,
      default: 1_000,
      description: 'maximum number of requests; keeps the newest',
    }),
  }

  protected readonly access = 'read'

  async run() {
    const { flags } = await this.parse(RequestsExport)
    const out = fileNamed(flags.out)
    if (out !== undefined) requirePlace(out)
    const emulator = this.emulator(flags)
    const { requests } = this.control(flags)
    const { requests: found } = await requests.list({ ...(await readFilter(emulator, flags)), limit: flags.limit })
    const records: RequestRecord[] = []
    for (const { id } of found) {
      // Newer requests may have replaced it in the log.
      const record = await requests.get({ id }).catch(undefinedIfMissing)
      if (record) records.push(record)
    }
    const har = formatHar(records, emulator.url, this.config.version)
    if (out === undefined) this.logData(jsonText(har))
    else {
      await write(out, jsonText(har))
      this.note(`Wrote ${counted(records.length, 'request')} to ${out}.`)
    }
    return out === undefined ? har : { file: out, requests: records.length }
  }
}

async function write(place: string, text: string): Promise<void> {
  // Private, because bodies may contain personal data.
  await replacePrivateFile(place, `${text}\n`).catch((cause: Error) => {
    const hint = cause instanceof CliFailure ? cause.hint : undefined
    throw new CliFailure('FILE_FAILED', exits.failed, `Could not write "${place}": ${cause.message}.`, hint, {
      cause,
    })
  })
}
