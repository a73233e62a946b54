/** The mailbox of a project, as a test reads it. */
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { listLimits } from '../../client/protocol/model/limits.js'
import type { TestMail, TestMailbox, WaitOptions } from './helper.js'

const mostSecondsAtOnce = 60
const usualMilliseconds = 5_000

export function openTestMailbox(control: Control['mail'], project: string): TestMailbox {
  const headsOf = async (to: string | undefined) =>
    (await control.list({ project, ...toOf(to), limit: listLimits.mails.most })).mails
  const read = async (id: string): Promise<TestMail> => {
    const mail = await control.get({ id })
    return { ...mail, link: mail.links[0], code: mail.codes[0] }
  }

  /** Waits for a mail after this one, at most so long, and at most as long as one request may. */
  async function waitForMore(to: string | undefined, after: string | undefined, milliseconds: number): Promise<void> {
    const later = after === undefined ? {} : { after }
    const timeout = Math.min(milliseconds / 1_000, mostSecondsAtOnce)
    await control.wait({ project, ...toOf(to), ...later, timeout }).catch((error) => {
      if (!(error instanceof SvcError) || error.code !== 'NOT_FOUND') throw error
    })
  }

  return {
    async waitFor({ to, subject, timeout = usualMilliseconds } = {}) {
      const until = performance.now() + timeout
      for (;;) {
        const heads = await headsOf(to)
        const found = heads.find((mail) => mail.refused === null && fits(mail.subject, subject))
        if (found) return read(found.id)
        const left = until - performance.now()
        if (left <= 0) throw new Error(nothingCame({ to, subject, timeout }, await headsOf(undefined)))
        await waitForMore(to, heads[0]?.id, left)
      }
    },
    list: async ({ to } = {}) => Promise.all((await headsOf(to)).map(({ id }) => read(id))),
    async clear({ to } = {}) {
      await control.clear({ project, ...toOf(to) })
    },
  }
}

const toOf = (to: string | undefined) => (to === undefined ? {} : { to })

function fits(subject: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true
  return typeof wanted === 'string' ? subject.includes(wanted) : subject.search(wanted) !== -1
}

function nothingCame(
  { to, subject, timeout }: WaitOptions,
  heads: readonly { readonly to: string; readonly subject: string }[],
): string {
  const who = to === undefined ? '' : ` to "${to}"`
  const about =
    subject === undefined ? '' : ` with the subject ${typeof subject === 'string' ? `"${subject}"` : subject}`
  const others = heads.slice(0, 10).map((mail) => `\n  "${mail.subject}" to ${mail.to}`)
  const came =
    others.length === 0 ? 'The project has no mail.' : `The project's mails, the newest first:${others.join('')}`
  return `No mail${who}${about} came within ${timeout} ms. ${came}`
}
