// The numbers of a step that follow from how its world is defined.
#include "common/physics/state/step_context.h"

// The stiffness of contacts, as the frequency of a spring; at most 1/6 of the sub-step rate.
#define CONTACT_HERTZ   40.0f
// Their damping ratio, far above critical: overlap disappears slowly and piles come to rest.
#define CONTACT_DAMPING 20.0f

// A soft constraint's coefficients for a spring of `hertz` and damping ratio `zeta` in steps of h
// (E. Catto, "Soft Constraints", GDC 2011): the correction speed per error; the share of the
// effective mass that acts; the share of the impulse that is subtracted.
static void soften(float hertz, float zeta, float h, float *bias_rate, float *mass_scale,
                   float *impulse_scale)
{
    float omega = 2.0f * (float)PI_D * hertz;
    float a = 2.0f * zeta + h * omega;
    float stiffness = h * omega * a;
    *bias_rate = omega / a;
    *impulse_scale = 1.0f / (1.0f + stiffness);
    *mass_scale = stiffness * *impulse_scale;
}

// Gravity moves two discs alike, but it moves a disc towards a static body.
static void set_quick(step_context *s, const world_def *def)
{
    const double falls = (fabs(def->gravity.x) + fabs(def->gravity.y)) / def->hz; // [m/s]
    const bool lower = s->lively && def->restitution_threshold < SPEED_DULL;
    const double limit = lower ? def->restitution_threshold : SPEED_DULL;
    const double speed = limit - falls < 0.5 * limit ? limit - falls : 0.5 * limit;
    s->quick_speed = (float)(speed > SPEED_LEAST ? speed : SPEED_LEAST);
    s->quick_way = s->dt * s->quick_speed;
    s->quick_slack = LINEAR_SLOP + (float)(falls / def->hz);
}

step_context step_context_of(const world_def *def, bool lively)
{
    step_context s = {
        .dt = (float)(1.0 / def->hz),
        .inv_dt = (float)def->hz,
        .h = (float)(1.0 / (def->hz * def->substeps)),
        .inv_h = (float)(def->hz * def->substeps),
        .substeps = def->substeps,
        .roll_ahead = (float)((def->substeps - 1) / (2.0 * def->substeps * def->hz)),
        .restitution_threshold = (float)def->restitution_threshold,
        .gravity = {(float)def->gravity.x, (float)def->gravity.y},
        .sleep_speed = (float)def->sleep_speed,
        .lively = lively,
    };
    set_quick(&s, def);
    float contact_hertz = float_min(CONTACT_HERTZ, s.inv_h / 6.0f);
    float unused;
    soften(contact_hertz, CONTACT_DAMPING, s.h, &s.contact_bias_rate, &s.contact_mass_scale,
           &unused);
    soften(2.0f * contact_hertz, CONTACT_DAMPING, s.h, &s.static_bias_rate, &s.static_mass_scale,
           &unused);
    s.contact_yield = 1.0f / s.contact_mass_scale;
    s.static_yield = 1.0f / s.static_mass_scale;
    soften(float_min(JOINT_HERTZ, 0.25f * s.inv_h), JOINT_DAMPING, s.h, &s.joint_bias_rate,
           &s.joint_mass_scale, &s.joint_impulse_scale);
    return s;
}
