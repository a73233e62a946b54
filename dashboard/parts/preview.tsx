/** Previews images, video, audio and text. */
import { useQuery } from '@tanstack/react-query'
import { SvcError } from '../../client/index.js'
import { asFailure } from '../../client/send.js'

const kinds: readonly (readonly [RegExp, 'image' | 'video' | 'audio' | 'text' | 'pdf'])[] = [
  [/\.(png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i, 'image'],
  [/\.(mp4|webm|mov|ogv)$/i, 'video'],
  [/\.(mp3|wav|ogg|m4a|flac)$/i, 'audio'],
  [/\.pdf$/i, 'pdf'],
  [/\.(txt|md|json|csv|tsv|xml|ya?ml|log|js|ts|css|html?)$/i, 'text'],
]
const maxCharacters = 20_000

export function Preview({ url, name }: { url: string; name: string }) {
  const kind = kinds.find(([pattern]) => pattern.test(name))?.[1]
  if (kind === 'image') return <img className="preview-image" src={url} alt={name} loading="lazy" />
  if (kind === 'video') {
    // biome-ignore lint/a11y/useMediaCaption: uploaded files have no captions.
    return <video className="preview-image" src={url} controls preload="metadata" />
  }
  if (kind === 'audio') {
    // biome-ignore lint/a11y/useMediaCaption: uploaded files have no captions.
    return <audio src={url} controls preload="metadata" />
  }
  if (kind === 'text') return <TextPreview url={url} />
  return <p className="dim">No preview. Open the file to see it.</p>
}

function TextPreview({ url }: { url: string }) {
  const { data, error } = useQuery({
    queryKey: ['text', url],
    queryFn: async () => {
      const answer = await fetch(url, { headers: { range: `bytes=0-${maxCharacters}` } }).catch((cause) => {
        throw asFailure(cause, 'the emulator')
      })
      const { ok, status } = answer
      if (!ok) throw new SvcError('INVALID_RESPONSE', `Reading the file failed with status ${status}.`, [], { status })
      return answer.text()
    },
  })
  return <pre className="json mono">{error ? error.message : (data ?? '…').slice(0, maxCharacters)}</pre>
}
