import { type Behaviour, type BehaviourRange, behaviours } from "../../service/handset.ts";
import { Card } from "../controls/card.tsx";
import { CopyButton } from "../controls/copy.tsx";
import { type Html, nothing } from "../html.ts";
import { behaviourWords } from "./behaviour-words.ts";

/** The fixed ranges of numbers that misbehave, a country a column. */
export function BehaviourRanges({ ranges }: { readonly ranges: readonly BehaviourRange[] }): Html {
  const countries = [...new Set(ranges.map(({ country }) => country))];
  return (
    <Card
      id="ranges"
      title="Ranges that always misbehave"
      lead="Numbers that regulators keep for film and print. The last digit is any; each copies as the first of its range."
    >
      <section class="table" aria-label="Ranges by country" tabindex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Behaviour</th>
              {countries.map((country) => (
                <th scope="col">{country}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {behaviours.map((behaviour) => (
              <tr>
                <th scope="row">{behaviourWords[behaviour]}</th>
                {countries.map((country) => (
                  <td>
                    <Range range={rangeOf(ranges, country, behaviour)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function rangeOf(ranges: readonly BehaviourRange[], country: string, behaviour: Behaviour): BehaviourRange | undefined {
  return ranges.find((range) => range.country === country && range.behaviour === behaviour);
}

function Range({ range }: { readonly range: BehaviourRange | undefined }): Html {
  if (!range) return nothing;
  return (
    <span class="range">
      <code>{range.prefix}…</code>
      <CopyButton text={`${range.prefix}0`} what={`${range.prefix}0`} bare />
    </span>
  );
}
