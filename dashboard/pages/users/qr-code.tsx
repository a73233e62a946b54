/** A QR code as one path, drawn from its modules: no image is loaded, and nothing is run. */
import { create } from 'qrcode'

/** Modules that scanners want to be empty on each side. */
const quietModules = 4

export default function QrCode({ text, label }: { text: string; label: string }) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const side = modules.size + 2 * quietModules
  const squares = Array.from(modules.data, (isDark, at) =>
    isDark ? `M${(at % modules.size) + quietModules} ${Math.floor(at / modules.size) + quietModules}h1v1h-1z` : '',
  )
  return (
    <svg className="qr-code" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={side} height={side} />
      <path d={squares.join('')} />
    </svg>
  )
}
