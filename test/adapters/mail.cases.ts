/** Cases that every mail transport must pass. */
import { afterEach, describe, expect, it } from 'vitest'
import type { MailTransport } from '../../emulator/ports/mail/port.js'

/** A mail as the recipient's server got it. */
export interface ArrivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

export interface OtherEnd {
  /** @param from who mails are from, with a name */
  open(from: string): MailTransport
  /** The next mail that has arrived. */
  next(): Promise<ArrivedMail>
  stop(): void
}

/** @param refusal what the server replies to every mail, where it takes none */
export function mailTransportCases(kind: string, prepare: (refusal?: string) => Promise<OtherEnd>) {
  describe(`mail by ${kind}`, () => {
    const from = 'Shop <shop@example.com>'
    const raw = (subject: string) =>
      Buffer.from(`From: ${from}\r\nTo: ada@example.com\r\nSubject: ${subject}\r\n\r\n.dot\r\nüber\r\n`)
    let other: OtherEnd
    let transport: MailTransport
    afterEach(async () => {
      await transport.close()
      other.stop()
    })

    async function begin(refusal?: string) {
      other = await prepare(refusal)
      transport = other.open(from)
    }

    it('arrives as it was made, at whom it is for', async () => {
      await begin()

      await transport.send('ada@example.com', raw('One'))

      const { raw: arrived, ...envelope } = await other.next()
      expect(envelope).toMatchObject({ from: 'shop@example.com', to: ['ada@example.com'] })
      expect(arrived.trimEnd()).toBe(String(raw('One')).trimEnd())
    })

    it('arrives as the first mail although the transport was verified', async () => {
      await begin()

      await transport.verify()

      await transport.send('ada@example.com', raw('One'))
      expect((await other.next()).raw).toContain('Subject: One')
    })

    it('arrives whole, however many are sent at once', async () => {
      await begin()
      const subjects = ['One', 'Two', 'Three']

      await Promise.all(subjects.map((subject) => transport.send('ada@example.com', raw(subject))))

      const arrived = [await other.next(), await other.next(), await other.next()].map((mail) => mail.raw.trimEnd())
      expect(arrived.sort()).toEqual(subjects.map((subject) => String(raw(subject)).trimEnd()).sort())
    })

    it('is refused in the words of the other end', async () => {
      await begin('554 Not from you')

      await expect(transport.send('ada@example.com', raw('One'))).rejects.toThrow('554 Not from you')
    })

    it('closes before anything was sent', async () => {
      await begin()

      await expect(transport.close()).resolves.toBeUndefined()
    })
  })
}
