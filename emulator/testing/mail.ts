/** Reads the mailbox of a project in a test. */
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { listLimits } from '../../client/protocol/model/limits.js'
import type { TestMail, TestMailbox, WaitOptions } from './helper.js'

const maxSecondsPerRequest = 60
const defaultMilliseconds = 5_000

export function openTestMailbox(control: Control['mail'], project: string): TestMailbox {
  const listHeads = async (to: string | undefined) =>
    (await control.list({ project, ...filterByRecipient(to), limit: listLimits.mails.most })).mails
  const read = async (id: string): Promise<TestMail> => {
    const mail = await control.get({ id })
    return { ...mail, link: mail.links[0], code: mail.codes[0] }
  }

  /** Waits for a mail after the given one, within the limit of one request. */
  async function waitForMore(to: string | undefined, after: string | undefined, milliseconds: number): Promise<void> {
    const later = after === undefined ? {} : { after }
    const timeout = Math.min(milliseconds / 1_000, maxSecondsPerRequest)
    await control.wait({ project, ...filterByRecipient(to), ...later, timeout }).catch((error) => {
      if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error
    })
  }

  return {
    async waitFor({ to, subject, timeout = defaultMilliseconds } = {}) {
      const until = performance.now() + timeout
      for (;;) {
        const heads = await listHeads(to)
        const found = heads.find((mail) => mail.refused === null && fits(mail.subject, subject))
        if (found) return read(found.id)
        const left = until - performance.now()
        if (left <= 0) throw new Error(describeMissing({ to, subject, timeout }, await listHeads(undefined)))
        await waitForMore(to, heads[0]?.id, left)
      }
    },
    list: async ({ to } = {}) => Promise.all((await listHeads(to)).map(({ id }) => read(id))),
    async clear({ to } = {}) {
      await control.clear({ project, ...filterByRecipient(to) })
    },
  }
}

const filterByRecipient = (to: string | undefined) => (to === undefined ? {} : { to })

function fits(subject: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true
  return typeof wanted === 'string' ? subject.includes(wanted) : subject.search(wanted) !== -1
}

function describeMissing(
  { to, subject, timeout }: WaitOptions,
  heads: readonly { readonly to: string; readonly subject: string }[],
): string {
  const who = to === undefined ? '' : ` to "${to}"`
  const about =
    subject === undefined ? '' : ` with the subject ${typeof subject === 'string' ? `"${subject}"` : subject}`
  const others = heads.slice(0, 10).map((mail) => `\n  "${mail.subject}" to ${mail.to}`)
  const arrived =
    others.length === 0 ? 'The project has no mail.' : `Mails of the project, newest first:${others.join('')}`
  return `No mail${who}${about} arrived within ${timeout} ms. ${arrived}`
}
